"""AgentDojo's suites as tools that can be served."""
