"""What runs have left in a database: reading, comparing, plotting, reporting."""
