"""Verifies messages with the library of Standard Webhooks: {"secret", "headers", "body"} on standard input."""

import json
import sys

from standardwebhooks.webhooks import Webhook

for message in json.load(sys.stdin):
    Webhook(message["secret"]).verify(message["body"], message["headers"])
print("verified")
