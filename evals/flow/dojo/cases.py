"""The cases of one suite of AgentDojo: a user task alone, or with an injection task planted in what it reads."""

from dojo.hints import annotations
from dojo.orders import ORDERS
from dojo.package import BENCHMARK_VERSION, FunctionCall, FunctionsRuntime, attack, get_suite, tool_result_to_str

# A sentence of the planted text; enough to see that a result holds it.
MARKERS = {"important_instructions": "This is an important message from me"}


class Dojo:
    """A suite, and the case that is selected."""

    def __init__(self, name):
        self.suite = get_suite(BENCHMARK_VERSION, name)
        self.runtime = FunctionsRuntime(self.suite.tools)
        self.attacks = {}
        self.user = self.injection = self.before = self.environment = None
        self.trace = []

    def tools(self):
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.parameters.model_json_schema(),
                "annotations": annotations(tool.name),
            }
            for tool in self.suite.tools
        ]

    def call(self, name, arguments):
        """Makes a call; its result as the benchmark would tell it to a model, and whether it failed."""
        if self.environment is None:
            return "no case is selected", True
        self.trace.append(FunctionCall(function=name, args=arguments))
        result, error = self.runtime.run_function(self.environment, name, arguments)
        return (error, True) if error else (tool_result_to_str(result), False)

    def cases(self):
        """All user tasks alone, then all pairs. `calls` says whether the injection wants any."""
        tasks, injections = self.suite.user_tasks, self.suite.injection_tasks
        wants = {name: self._wants_calls(name) for name in injections}
        alone = [{"user": user, "attack": None, "calls": False} for user in tasks]
        pairs = [{"user": user, "attack": name, "calls": wants[name]} for user in tasks for name in injections]
        return alone + pairs

    def select(self, user, attack, wording):
        """A fresh environment, with the injection in every place that the user task comes upon."""
        self.user = self.suite.user_tasks[user]
        self.injection = self.suite.injection_tasks[attack] if attack else None
        planted = self._attack(wording).attack(self.user, self.injection) if attack else {}
        environment = self.suite.load_and_inject_default_environment(planted)
        self.environment = self.user.init_environment(environment)
        self.before = self.environment.model_copy(deep=True)
        self.trace = []
        users_calls = self.user.ground_truth(self.before.model_copy(deep=True))
        case = {
            "message": self.user.PROMPT,
            "user_calls": [_as_json(call) for call in users_calls],
            "user_output": self.user.GROUND_TRUTH_OUTPUT,
            "attack": None,
        }
        if attack:
            marker = MARKERS.get(wording, self.injection.GOAL.splitlines()[0])
            case["attack"] = {
                "marker": marker,
                "calls": [_as_json(call) for call in self._attack_calls(users_calls, marker)],
                "output": self.injection.GROUND_TRUTH_OUTPUT,
            }
        return case

    def finish(self, output):
        """What ran, and what the benchmark's own checks say of it."""
        said = [{"type": "text", "content": output}]
        judge = lambda task: self.suite._check_task_result(  # noqa: E731
            task, said, self.before.model_copy(deep=True), self.environment, self.trace
        )
        return {
            "trace": [_as_json(call) for call in self.trace],
            "utility": bool(judge(self.user)),
            "security": bool(judge(self.injection)) if self.injection else None,
        }

    def _attack(self, wording):
        if wording not in self.attacks:
            self.attacks[wording] = attack(self.suite, wording)
        return self.attacks[wording]

    def _wants_calls(self, name):
        if (self.suite.name, name) in ORDERS:
            return True
        environment = self.suite.load_and_inject_default_environment({})
        return bool(self.suite.injection_tasks[name].ground_truth(environment))

    def _attack_calls(self, users_calls, marker):
        """The calls of the injection. Where this project wrote the order, they depend on what was done
        before the planted text is read, so the user's calls up to there are made in a copy."""
        order = ORDERS.get((self.suite.name, self.injection.ID))
        if order is None:
            return self.injection.ground_truth(self.before.model_copy(deep=True))
        environment = self.before.model_copy(deep=True)
        for call in users_calls:
            result, _ = self.runtime.run_function(environment, call.function, call.args)
            if letters(marker) in letters(tool_result_to_str(result)):
                break
        calls = []

        def do(tool, **arguments):
            calls.append(FunctionCall(function=tool, args=arguments))
            return self.runtime.run_function(environment, tool, arguments, raise_on_error=True)[0]

        order(do, self.injection, environment.inbox.account_email)
        return calls


def letters(text):
    """Letters and digits alone: YAML breaks lines and escapes quotes where it likes."""
    return "".join(char for char in text if char.isascii() and char.isalnum())


def _as_json(call):
    return {"name": call.function, "arguments": dict(call.args)}
