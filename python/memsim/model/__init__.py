"""The parts of a machine: objects, ports, the schema of the compiled components, policies, presets."""
