"""The tools of one suite as an MCP server over stdio, with a control socket for the evaluation.

    python3 serve.py SUITE SOCKET

SUITE is a suite of AgentDojo (workspace, travel, banking, slack) or "shop". The evaluation
(crates/flow_eval) connects to SOCKET to choose a case and to ask how it ended; see tool_server.py.
"""

import sys

from tool_server import serve


def suite(name):
    """The suite of this name. AgentDojo is imported only for its own suites: the shop needs no package."""
    if name == "shop":
        from shop.cases import Shop

        return Shop()
    from dojo.cases import Dojo

    return Dojo(name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    serve(suite(sys.argv[1]), sys.argv[2])
