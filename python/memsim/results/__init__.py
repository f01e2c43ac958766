"""Results of runs in a database: reading, comparing, plotting, reporting."""
