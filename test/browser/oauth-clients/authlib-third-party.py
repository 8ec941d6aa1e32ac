"""A third party on Authlib. Takes one command a line as JSON, and answers each with a line."""

import json
import sys
import time

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken, HybridIDToken

settings = json.loads(sys.stdin.readline())
issuer, client_id, redirect_uri = (settings[name] for name in ("issuer", "client_id", "redirect_uri"))
key = settings["private_jwk"]
method = settings["authentication"]


def open_session(**options):
    session = OAuth2Session(client_id, redirect_uri=redirect_uri, **options)
    # Not with `Session.verify`: a variable of the environment would win.
    session.trust_env = False
    session.verify = settings["ca_file"]
    session.cert = (settings["certificate_file"], settings["key_file"])
    return session


def get(session, url, **options):
    answer = session.get(url, **options)
    answer.raise_for_status()
    return answer.json()


server = get(open_session(), issuer + "/.well-known/openid-configuration", withhold_token=True)
assert server["issuer"] == issuer
keys = JsonWebKey.import_key_set(get(open_session(), server["jwks_uri"], withhold_token=True))

if method == "private_key_jwt":
    session = open_session(client_secret=key, token_endpoint_auth_method="private_key_jwt")
    session.register_client_auth_method(PrivateKeyJWT(server["token_endpoint"], alg="PS256"))
    client_auth = session.client_auth("private_key_jwt")
else:
    # The certificate of the connection authenticates: the client only names itself.
    session = open_session(token_endpoint_auth_method="none")
    client_auth = session.client_auth("none")

begun = {}


def verify(token, claims_cls=None, **params):
    options = {"iss": {"value": issuer}, "aud": {"value": client_id}}
    claims = jwt.decode(token, keys, claims_cls=claims_cls, claims_options=options, claims_params=params)
    claims.validate()
    return claims


def client_credentials(_):
    return session.fetch_token(server["token_endpoint"], grant_type="client_credentials", scope="accounts")


def begin(command):
    now = int(time.time())
    way, state, nonce, verifier = command["way"], generate_token(), generate_token(), generate_token(48)
    hybrid = way == "code id_token"
    claims = {
        "iss": client_id,
        "aud": issuer,
        "client_id": client_id,
        "iat": now,
        "nbf": now,
        "exp": now + 300,
        "redirect_uri": redirect_uri,
        "scope": command["scope"],
        "state": state,
        "nonce": nonce,
        "code_challenge": create_s256_code_challenge(verifier),
        "code_challenge_method": "S256",
        "claims": command["claims"],
        "response_type": "code id_token" if hybrid else "code",
    }
    if not hybrid:
        claims["response_mode"] = "jwt"
    request = jwt.encode({"alg": "PS256", "kid": key["kid"]}, claims, key).decode()
    asked = {"request": request}
    if way == "pushed":
        pushed = session.post(
            server["pushed_authorization_request_endpoint"], data=asked, auth=client_auth, withhold_token=True
        )
        pushed.raise_for_status()
        asked = {"request_uri": pushed.json()["request_uri"]}
    session.metadata["response_type"] = claims["response_type"]
    url, _ = session.create_authorization_url(
        server["authorization_endpoint"], state=state, scope=command["scope"], **asked
    )
    begun[state] = (nonce, verifier)
    return {"url": url, "state": state}


def finish(command):
    nonce, verifier = begun.pop(command["state"])
    parameters = command["parameters"]
    if "response" in parameters:
        parameters = verify(parameters["response"])
    assert parameters["state"] == command["state"] and "error" not in parameters, parameters
    code = parameters["code"]
    if "id_token" in parameters:
        verify(parameters["id_token"], HybridIDToken, nonce=nonce, client_id=client_id, code=code)
    tokens = session.fetch_token(
        server["token_endpoint"], grant_type="authorization_code", code=code, code_verifier=verifier
    )
    verify(
        tokens["id_token"], CodeIDToken, nonce=nonce, client_id=client_id, access_token=tokens["access_token"]
    )
    return tokens


def refresh(command):
    return session.refresh_token(server["token_endpoint"], refresh_token=command["refresh_token"])


def read(command):
    with_token = open_session(token={"access_token": command["access_token"], "token_type": "Bearer"})
    return get(with_token, command["url"])


commands = {f.__name__: f for f in (client_credentials, begin, finish, refresh, read)}

print("{}", flush=True)
for line in sys.stdin:
    command = json.loads(line)
    try:
        answer = {"result": commands[command["do"]](command)}
    except Exception as problem:
        answer = {"problem": repr(problem)}
    print(json.dumps(answer), flush=True)
