"""Writes token_golden.json: JSON Web Tokens made by PyJWT, good and forged, and the issuer's keys.

With PyJWT 2.15.1 and cryptography: python3 token_golden.py
The private keys are made anew each time and thrown away.
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

NOW = 1_800_000_000


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return encoded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def public(key, kid):
    numbers = key.public_key().public_numbers()
    return {"kty": "RSA", "kid": kid, "use": "sig", "n": number(numbers.n), "e": number(numbers.e)}


old, new, strange = (rsa.generate_private_key(65537, 2048) for _ in range(3))
secret = os.urandom(32)
keys = {"keys": [
    public(old, "old"),
    dict(public(new, "new"), alg="RS256"),
    {"kty": "oct", "kid": "shared", "k": encoded(secret), "alg": "HS256"},
    {"kty": "EC", "kid": "other", "crv": "P-256", "x": "AA", "y": "AA"},
    dict(public(strange, "sealing"), use="enc"),
]}
claims = {"iss": "https://issuer.example", "aud": "archive", "sub": "ada", "exp": NOW + 600,
          "nbf": NOW - 600, "iat": NOW - 600}
tokens = []


def add(name, token, answer):
    tokens.append({"name": name, "token": token, "answer": answer})


def signed(name, answer, key=new, kid="new", algorithm="RS256", headers=None, **changes):
    content = {k: v for k, v in {**claims, **changes}.items() if v is not None}
    headers = {"kid": kid, **(headers or {})} if kid else headers
    token = jwt.encode(content, key, algorithm=algorithm, headers=headers)
    add(name, token, answer)
    return token


def by_hand(name, answer, header, content, key):
    """Signs texts as they are by HS256, for what PyJWT does not make."""
    text = encoded(header.encode()) + "." + encoded(content.encode())
    add(name, text + "." + encoded(hmac.new(key, text.encode(), hashlib.sha256).digest()), answer)


good = signed("by the new key", "ada")
signed("by the old key", "ada", old, "old")
signed("by the shared secret", "ada", secret, "shared", "HS256")
signed("for several audiences", "ada", aud=["other", "archive"])
signed("of an access token's type", "ada", headers={"typ": "at+jwt"})
signed("with a subject in another form of Unicode", "Zo\u00eb", sub="Zoe\u0308")
signed("expired within the clocks' difference", "ada", exp=NOW - 30)
signed("early within the clocks' difference", "ada", nbf=NOW + 30)

signed("expired", "expired", exp=NOW - 61)
signed("early", "early", nbf=NOW + 61)
signed("of another issuer", "wrongIssuer", iss="https://issuer.example/")
signed("for another audience", "wrongAudience", aud="archives")
signed("for other audiences", "wrongAudience", aud=["a", "b"])
for claim in ["iss", "aud", "sub", "exp", "nbf"]:
    signed(f"without {claim}", "missingClaim", **{claim: None})
signed("with an empty subject", "invalidSubject", sub="")
signed("with a line break in the subject", "invalidSubject", sub="ada\n")
signed("with a long subject", "invalidSubject", sub="a" * 129)
signed("by a strange key", "wrongSignature", strange)
signed("with the number of another key", "wrongSignature", old, "new")
signed("with an unknown number", "unknownKey", kid="newer")
signed("without a number", "unknownKey", kid=None)
signed("with the number of a key for sealing", "unknownKey", strange, "sealing")
signed("with a critical extension", "unsupported", headers={"crit": ["exp"]})
signed("of another type", "unsupported", headers={"typ": "logout+jwt"})
signed("by RS512", "wrongAlgorithm", algorithm="RS512")
signed("by PS256", "wrongAlgorithm", algorithm="PS256")
signed("by HS512", "wrongAlgorithm", secret, "shared", "HS512")

# The two confusions of algorithms: none, and the public key as the secret of HS256.
content = json.dumps(claims)
add("of the algorithm none", jwt.encode(claims, None, algorithm="none", headers={"kid": "new"}),
    "wrongAlgorithm")
for name in ["None", "NONE", ""]:
    header = json.dumps({"alg": name, "kid": "shared"})
    add(f"of the algorithm '{name}'", f"{encoded(header.encode())}.{encoded(content.encode())}.",
        "wrongAlgorithm")
pem = new.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
by_hand("by the public key as a secret", "wrongAlgorithm", '{"alg":"HS256","kid":"new"}', content,
        pem)
by_hand("by the modulus as a secret", "wrongAlgorithm", '{"alg":"HS256","kid":"new"}', content,
        base64.urlsafe_b64decode(keys["keys"][1]["n"] + "=="))
by_hand("by RS256 with the secret's number", "wrongAlgorithm", '{"alg":"RS256","kid":"shared"}',
        content, secret)

hs = '{"alg":"HS256","kid":"shared"}'
by_hand("with a claim twice", "malformed", hs, content[:-1] + ',"sub":"eve"}', secret)
by_hand("with a claim twice, once escaped", "malformed", hs, content[:-1] + ',"s\\u0075b":"eve"}',
        secret)
by_hand("with an algorithm twice", "malformed", '{"alg":"HS256","alg":"HS256","kid":"shared"}',
        content, secret)
by_hand("with a number as a text", "missingClaim", hs, content.replace(str(NOW + 600), '"never"'),
        secret)
by_hand("with an audience of numbers", "missingClaim", hs, content.replace('"archive"', "[1]"),
        secret)
by_hand("that never expires", "malformed", hs, content.replace(str(NOW + 600), "1e999"), secret)
by_hand("with an array of claims", "malformed", hs, "[" + content + "]", secret)
by_hand("with claims that are no JSON", "malformed", hs, content + "x", secret)
by_hand("with a nested claim of the same name", "ada", hs, content[:-1] + ',"x":{"sub":"eve"}}',
        secret)

head, body, signature = good.split(".")
add("empty", "", "malformed")
add("of two parts", f"{head}.{body}", "malformed")
add("of four parts", good + ".", "malformed")
add("cut off", good[:-1], "malformed")
add("cut off by a byte", good[:-2], "wrongSignature")
add("with padding", good + "==", "malformed")
add("with a blank", good + " ", "malformed")
add("with an empty signature", f"{head}.{body}.", "wrongSignature")
add("with another body", f"{head}.{encoded(content.replace('ada', 'eve').encode())}.{signature}",
    "wrongSignature")
last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
add("with unused bits", good[:-1] + last[last.index(good[-1]) ^ 1], "malformed")
signed("that is huge", "malformed", note="x" * 9000)

folder = pathlib.Path(__file__).parent
text = json.dumps({"now": NOW, "keys": keys, "tokens": tokens}, indent=1)
(folder / "token_golden.json").write_text(text + "\n")
