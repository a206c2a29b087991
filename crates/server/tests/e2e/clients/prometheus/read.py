"""Reads metrics from standard input with Prometheus' own library for Python, and writes them as JSON."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = text_string_to_metric_families(sys.stdin.read())
json.dump(
    [
        {
            "name": family.name,
            "type": family.type,
            "help": family.documentation,
            "samples": [
                {"name": sample.name, "labels": sample.labels, "value": sample.value}
                for sample in family.samples
            ],
        }
        for family in families
    ],
    sys.stdout,
    # What is no number in JSON is a mistake here.
    allow_nan=False,
)
