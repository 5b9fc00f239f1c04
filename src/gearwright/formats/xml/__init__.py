"""XML with file and line of each element, and files whose text is changed in places."""
