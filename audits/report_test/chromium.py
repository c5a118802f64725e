"""Headless Chromium by its DevTools protocol, over a pipe: the standard library is enough."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's command, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One tab. Messages are JSON texts that end in a zero byte: to the browser on its descriptor 3, from it on 4."""

    def __init__(self, command):
        self.profile = tempfile.mkdtemp(prefix="certus-chromium-")
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-extensions", "--remote-debugging-pipe", f"--user-data-dir={self.profile}"]
        self.log = open(os.path.join(self.profile, "log"), "wb")
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{back_write}', "bash", command, *arguments, "about:blank"],
            pass_fds=(to_read, back_write), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(to_read)
        os.close(back_write)
        self.buffer, self.count, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self.back, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("Chromium does not answer")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Sends a command and waits for its answer; what happens meanwhile is kept in `events`."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.heard(answer)

    def heard(self, event):
        self.events.append(event)
        if event.get("method") == "Page.javascriptDialogOpening":
            # A dialog would block everything. It stays in `events`, which fails the check.
            self.count += 1
            os.write(self.to, json.dumps({"id": self.count, "method": "Page.handleJavaScriptDialog", "params": {"accept": False},
                                          "sessionId": self.session}).encode() + b"\0")

    def wait(self, method):
        deadline = time.monotonic() + 60
        while not any(event.get("method") == method for event in self.events):
            self.heard(self.receive(deadline))

    def open(self, url):
        self.events = []
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:80]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def size(self, width, height, is_phone, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if is_phone else 1, mobile=is_phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
