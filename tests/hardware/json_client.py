"""A client of JSON Lines."""

import json
import socket


class JsonClient:
    """One connection, greeted."""

    def __init__(self, bench):
        with socket.create_connection(bench.address) as made:  # open as long as the file is
            self.file = made.makefile("rw", encoding="utf-8", newline="\n")
        self.hello = json.loads(self.file.readline())

    def write(self, text):
        self.file.write(text)
        self.file.flush()

    def ask(self, request):
        self.write(json.dumps(request) + "\n")
        return json.loads(self.file.readline())
