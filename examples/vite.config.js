// The pages' own server passes requests on to Parlor. It adds the key, which the browser never sees,
// and drops the Origin, because Parlor refuses requests of other sites' pages.

const { PARLOR_URL = "http://127.0.0.1:8787", PARLOR_KEY } = process.env;
const parlor = {
  target: PARLOR_URL,
  changeOrigin: true,
  headers: { "X-API-Key": PARLOR_KEY },
  configure: (proxy) =>
    proxy.on("proxyReq", (request) => {
      request.removeHeader("origin");
      request.removeHeader("sec-fetch-site");
    }),
};

export default { server: { proxy: { "/agui": parlor, "/ai-sdk": parlor } } };
