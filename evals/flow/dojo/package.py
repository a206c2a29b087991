"""Imports AgentDojo without the clients of model APIs.

Its package `agent_pipeline` imports the clients of five APIs when it is imported, and its suites need two
small modules of it. So the package is put in place without running its `__init__`, and the one constant
that comes from a client (a name that no tool has) is given here.
"""

import importlib.util
import os
import sys
import types

BENCHMARK_VERSION = "v1.2.2"


def _without_init(name, folder):
    module = types.ModuleType(name)
    module.__path__ = [folder]
    sys.modules[name] = module


def _prepare():
    spec = importlib.util.find_spec("agentdojo")
    if spec is None or spec.origin is None:
        sys.exit("agentdojo is not installed: pip install --no-deps -r requirements.txt --target …, and PYTHONPATH")
    pipeline = os.path.join(os.path.dirname(spec.origin), "agent_pipeline")
    _without_init("agentdojo.agent_pipeline", pipeline)
    _without_init("agentdojo.agent_pipeline.llms", os.path.join(pipeline, "llms"))
    client = types.ModuleType("agentdojo.agent_pipeline.llms.google_llm")
    client.EMPTY_FUNCTION_NAME = "empty-function"
    sys.modules[client.__name__] = client


_prepare()

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement  # noqa: E402
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str  # noqa: E402
from agentdojo.attacks.attack_registry import load_attack  # noqa: E402
from agentdojo.attacks import baseline_attacks, important_instructions_attacks  # noqa: E402, F401
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime  # noqa: E402
from agentdojo.task_suite.load_suites import get_suite  # noqa: E402

__all__ = [
    "BENCHMARK_VERSION",
    "FunctionCall",
    "FunctionsRuntime",
    "attack",
    "get_suite",
    "tool_result_to_str",
]


class _Target(BasePipelineElement):
    """Whom an attack is written for; the benchmark takes the model's name from it."""

    name = "local"

    def query(self, *arguments):
        raise NotImplementedError


def attack(suite, wording):
    """The benchmark's own attack of this name: `important_instructions`, `direct`, …"""
    return load_attack(wording, suite, _Target())
