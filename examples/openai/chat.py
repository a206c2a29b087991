"""Asks one question with OpenAI's library. The model is the project."""

import os
import sys

from openai import OpenAI

url = os.environ.get("PARLOR_URL", "http://127.0.0.1:8787")
client = OpenAI(base_url=f"{url}/v1", api_key=os.environ["PARLOR_KEY"])
question = sys.argv[1] if len(sys.argv) > 1 else "Hello!"
stream = client.chat.completions.create(
    model="recipes", messages=[{"role": "user", "content": question}], stream=True
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
print()
