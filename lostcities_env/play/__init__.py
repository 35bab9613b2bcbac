"""A person plays an agent: in the browser, or in a terminal."""
