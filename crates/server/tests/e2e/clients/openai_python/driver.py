"""Drives the OpenAI library for Python: models, chat completions and responses.

The lines are those of the other drivers. Parameters are the library's own; `headers` are added to
the request, and `helper` reads a stream with the library's helper.
"""

import asyncio
import json
import os
import sys

import httpx2
import openai

lost = asyncio.Event()
last = None
running = None


class Network(httpx2.AsyncHTTPTransport):
    """A network that can fail: it breaks its connections when `lost` is set."""

    async def handle_async_request(self, request):
        response = await super().handle_async_request(request)
        response.stream = Connection(response.stream)
        return response


class Connection(httpx2.AsyncByteStream):
    def __init__(self, stream):
        self.stream = stream

    async def __aiter__(self):
        parts = aiter(self.stream)
        broken = asyncio.ensure_future(lost.wait())
        while True:
            part = asyncio.ensure_future(anext(parts, None))
            await asyncio.wait({part, broken}, return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                part.cancel()
                raise httpx2.ReadError("network error")
            if part.result() is None:
                broken.cancel()
                return
            yield part.result()

    async def aclose(self):
        await self.stream.aclose()


THREAD = os.environ.get("PARLOR_THREAD")
client = openai.AsyncOpenAI(
    base_url=os.environ["PARLOR_URL"],
    api_key=os.environ["PARLOR_KEY"],
    default_headers={"X-Conversation-Id": THREAD} if THREAD else None,
    http_client=httpx2.AsyncClient(transport=Network()),
)


def write(line):
    print(json.dumps(line), flush=True)


def plain(error):
    seen = {
        "name": type(error).__name__,
        "message": str(error),
        "status": getattr(error, "status_code", None),
        "code": getattr(error, "code", None),
        "body": getattr(error, "body", None),
    }
    return {key: value for key, value in seen.items() if value is not None}


def asked(params):
    return {"model": os.environ.get("PARLOR_MODEL"), **params}


def dumped(value):
    return value.model_dump(mode="json", exclude_unset=True)


async def whole(name, method, **params):
    """What the library returns, and the headers of the response."""
    raw = await method(**params)
    return {name: dumped(raw.parse()), "headers": dict(raw.headers)}


async def read(stream, see):
    """Reads a stream to its end or to its error, which is told together with what came before it."""
    global running
    running = stream
    try:
        async for item in stream:
            see(item)
        return {}
    except Exception as error:
        return {"error": plain(error)}


async def read_chat(stream, tell):
    seen = {"text": "", "finish_reason": None, "usage": None}

    def see(item):
        # The helper wraps the chunks, and adds events of its own.
        chunk = getattr(item, "chunk", item)
        if not hasattr(chunk, "choices"):
            return
        choice = chunk.choices[0] if chunk.choices else None
        delta = choice and choice.delta.content
        if delta:
            seen["text"] += delta
            tell("text", delta=delta, data=dumped(chunk))
        else:
            tell("chunk", data=dumped(chunk))
        if choice and choice.finish_reason:
            seen["finish_reason"] = choice.finish_reason
        if chunk.usage:
            seen["usage"] = dumped(chunk.usage)

    end = await read(stream, see)
    return {**seen, **end}


async def read_response(stream, tell):
    seen = {"response": None, "sequence": None, "text": ""}

    def see(event):
        data = dumped(event)
        if event.type == "response.output_text.delta":
            seen["text"] += event.delta
            tell("text", delta=event.delta, data=data)
        else:
            tell(event.type, data=data)
        seen["response"] = data.get("response") or seen["response"]
        seen["sequence"] = data.get("sequence_number", seen["sequence"])

    end = await read(stream, see)
    return {**seen, **end}


async def models(params, tell):
    return {"models": [dumped(model) async for model in client.models.list(**params)]}


async def chat(params, tell):
    method = client.chat.completions.with_raw_response.create
    return await whole("completion", method, **asked(params))


async def chat_stream(params, tell):
    if params.pop("helper", False):
        async with client.chat.completions.stream(**asked(params)) as stream:
            return await read_chat(stream, tell)
    raw = await client.chat.completions.with_raw_response.create(**asked(params), stream=True)
    return {**await read_chat(raw.parse(), tell), "headers": dict(raw.headers)}


async def respond(params, tell):
    method = client.responses.with_raw_response.create
    return await whole("response", method, **asked(params))


async def respond_stream(params, tell):
    if params.pop("helper", False):
        async with client.responses.stream(**asked(params)) as stream:
            return await read_response(stream, tell)
    return await read_response(await client.responses.create(**asked(params), stream=True), tell)


async def retrieve(params, tell):
    response_id = params.pop("id")
    if params.get("stream"):
        return await read_response(await client.responses.retrieve(response_id, **params), tell)
    method = client.responses.with_raw_response.retrieve
    return await whole("response", method, response_id=response_id, **params)


async def cancel(params, tell):
    return {"response": dumped(await client.responses.cancel(params["id"]))}


async def input_items(params, tell):
    return {"items": [dumped(i) async for i in client.responses.input_items.list(params["id"])]}


async def delete(params, tell):
    await client.responses.delete(params["id"])
    return {}


async def repeat(params, tell):
    command, params = last
    headers = {**params.get("extra_headers", {}), "X-Stainless-Retry-Count": "1"}
    return await command({**params, "extra_headers": headers}, tell)


async def stop(params, tell):
    await running.close()
    return {}


async def abort(params, tell):
    lost.set()
    await asyncio.sleep(0)
    lost.clear()
    return {}


CALLS = [models, chat, chat_stream, respond, respond_stream, retrieve, cancel, input_items, delete]
COMMANDS = {command.__name__: command for command in [*CALLS, repeat, stop, abort]}


async def run(line):
    global last
    params = json.loads(line)
    name, n = params.pop("cmd"), params.pop("n", None)
    tag = {} if n is None else {"n": n}
    if "headers" in params:
        params["extra_headers"] = params.pop("headers")
    try:
        command = COMMANDS[name]
        if command in CALLS:
            last = command, dict(params)
        result = await command(params, lambda event, **more: write({**tag, "event": event, **more}))
        write({**tag, "done": name, **result})
    except Exception as error:
        write({**tag, "done": name, "error": plain(error)})


async def main():
    loop = asyncio.get_running_loop()
    tasks = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        tasks.add(asyncio.create_task(run(line)))


asyncio.run(main())
