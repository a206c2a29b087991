"""A shop's service desk: clean tasks, in the manner of tau-bench's retail part."""
