"""Reports as one HTML file: everything in it, nothing loaded, readable offline and by keyboard."""
