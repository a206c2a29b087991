// A push service and a browser in one. It prints its subscription, then a line for each message:
// decrypted by http_ece, its token verified by jws. It ends with its standard input.
import { createECDH, createPublicKey, randomBytes } from "node:crypto";
import http from "node:http";
import ece from "http_ece";
import jws from "jws";

const browser = createECDH("prime256v1");
browser.generateKeys();
const keys = {
  p256dh: browser.getPublicKey("base64url"),
  auth: randomBytes(16).toString("base64url"),
};

function say(value) {
  process.stdout.write(JSON.stringify(value) + "\n");
}

function token(authorization) {
  const [, token, key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization);
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((n) => n.toString("base64url"));
  const jwk = { kty: "EC", crv: "P-256", x, y };
  const pem = createPublicKey({ format: "jwk", key: jwk }).export({ format: "pem", type: "spki" });
  const { header, payload } = jws.decode(token);
  const claims = typeof payload === "string" ? JSON.parse(payload) : payload;
  return { verified: jws.verify(token, "ES256", pem), header, claims, key };
}

function open(body) {
  const options = { version: "aes128gcm", privateKey: browser, authSecret: keys.auth };
  return ece.decrypt(body, options).toString("base64url");
}

const service = http.createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  try {
    const payload = open(Buffer.concat(pieces));
    say({ payload, token: token(request.headers.authorization), headers: request.headers });
  } catch (error) {
    say({ error: String(error) });
  }
  response.writeHead(201, { location: "/message/1" }).end();
});

service.listen(0, "127.0.0.1", () => {
  const endpoint = `http://127.0.0.1:${service.address().port}/push/from-npm`;
  say({ endpoint, expirationTime: null, keys });
});
process.stdin.resume().on("end", () => process.exit(0));
