"""The report's pictures, one idea a file; each is drawn wide and again narrow for phones."""
