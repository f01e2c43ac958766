"""What a machine is made of: objects, ports, the schema of the compiled components, policies, presets."""
