"""Ways to a larger GPU memory on equal work: what `memsim across` runs, and its page."""
