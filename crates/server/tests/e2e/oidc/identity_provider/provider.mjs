// A real provider of OpenID Connect, with its forms for logging in and for consent. Whoever logs in
// is the person of that name; passwords are not looked at.
// Arguments: the redirect address of the client, and its address after logging out. It prints its
// issuer, and a line for each session that ends. `HOST` names it, `CLAIMS=userinfo` keeps claims out
// of the ID token, `ALG` signs with another algorithm, `AUTH` takes the client's secret elsewhere.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';

import { Provider } from 'oidc-provider';

const [redirectUri, afterLogout] = process.argv.slice(2);
const { HOST = '127.0.0.1', CLAIMS, ALG = 'RS256', AUTH = 'client_secret_basic' } = process.env;

const people = {
  ana: { name: 'Ana Souza', groups: ['family', 'parents'] },
  bob: { name: 'Bob', groups: ['family'] },
  eve: { name: 'Eve', groups: ['strangers'] },
};

const kinds = {
  RS256: ['rsa', { modulusLength: 2048 }],
  PS256: ['rsa', { modulusLength: 2048 }],
  ES256: ['ec', { namedCurve: 'P-256' }],
  EdDSA: ['ed25519', {}],
};
const { privateKey } = generateKeyPairSync(...kinds[ALG]);
const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: ALG };

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://${HOST}:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'parlor',
        client_secret: AUTH === 'none' ? undefined : 's3cret of nobody',
        token_endpoint_auth_method: AUTH,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [afterLogout],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        id_token_signed_response_alg: ALG,
      },
    ],
    jwks: { keys: [jwk] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    enabledJWA: { idTokenSigningAlgValues: Object.keys(kinds) },
    clientAuthMethods: [AUTH],
    conformIdTokenClaims: CLAIMS === 'userinfo',
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: async (_, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        email: `${id}@example.org`,
        email_verified: true,
        preferred_username: id,
        ...people[id],
      }),
    }),
    cookies: { keys: ['a key of tests'] },
    pkce: { required: () => true },
  });
  provider.on('end_session.success', () => console.log('a session ended'));
  provider.on('server_error', (_, error) => console.error(error));
  server.on('request', provider.callback());
  console.log(issuer);
});
