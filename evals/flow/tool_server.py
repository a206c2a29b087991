"""An MCP server over stdio, and beside it a control socket.

MCP is spoken on standard input and output, a JSON-RPC message a line: just what a client needs to list
and call tools. The control socket (a Unix socket) takes one JSON object a line and answers each with one:

    {"do": "tools"}                          the names of all tools
    {"do": "cases"}                          every case of the suite
    {"do": "select", "user": .., "attack": .., "wording": ..}
                                             a fresh environment for one case, and its calls
    {"do": "finish", "output": ".."}         what ran since, and how the benchmark judges it

An answer is {"ok": ..} or {"error": ".."}. A suite has `tools()`, `call(name, arguments)`, `cases()`,
`select(user, attack, wording)` and `finish(output)`. One lock serves both sides: an environment is never
replaced while a call changes it.
"""

import json
import os
import socket
import sys
import threading


def serve(suite, path):
    """Serves until standard input ends."""
    lock = threading.Lock()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen()
    threading.Thread(target=_control, args=(suite, lock, listener), daemon=True).start()
    try:
        for line in sys.stdin:
            if line.strip():
                _message(suite, lock, json.loads(line))
    finally:
        os.unlink(path)


def _message(suite, lock, message):
    """Answers one message of the client; a notification gets none."""
    if "id" not in message:
        return
    try:
        result = _result(suite, lock, message.get("method"), message.get("params") or {})
        answer = {"result": result}
    except LookupError as error:
        answer = {"error": {"code": -32601, "message": str(error)}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


def _result(suite, lock, method, params):
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "flow-eval", "version": "1"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": suite.tools()}
    if method == "tools/call":
        with lock:
            text, failed = suite.call(params["name"], params.get("arguments") or {})
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    raise LookupError(f"no method {method}")


def _control(suite, lock, listener):
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw", encoding="utf-8") as lines:
            for line in lines:
                lines.write(json.dumps(_answer(suite, lock, line)) + "\n")
                lines.flush()


def _answer(suite, lock, line):
    """The answer to one request. Whatever goes wrong is told: the evaluation must not wait for ever."""
    try:
        request = json.loads(line)
        do = {"tools": lambda: [tool["name"] for tool in suite.tools()], "cases": suite.cases}
        do |= {"select": suite.select, "finish": suite.finish}
        do = do[request.pop("do")]
        with lock:
            return {"ok": do(**request)}
    except Exception as error:  # noqa: BLE001
        return {"error": f"{type(error).__name__}: {error}"}
