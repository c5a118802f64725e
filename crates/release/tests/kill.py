"""kill -9 at random moments during releases: what was printed was debited before, and no ledger is lost.

    python3 kill.py CERTUS CERTUS_RELEASE [ROUNDS]

Each round starts the program on a small file, with a release id of its own, and kills it after a random time. At the
end, and every hundred rounds, the ledger must verify; every result that was printed must be in it, with its debit; and
a printed release that is asked for again is printed again, the same, at no cost.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

certus, program = sys.argv[1], sys.argv[2]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 200
folder = tempfile.mkdtemp(prefix="certus-kill-")
data, ledger = os.path.join(folder, "people.csv"), os.path.join(folder, "people.ledger")
with open(data, "w") as file:
    file.write("id,age\n" + "".join(f"{i},{i % 90}\n" for i in range(100)))


def shown():
    """The ledger, which must verify."""
    subprocess.run([certus, "ledger", "verify", ledger], check=True, stdout=subprocess.DEVNULL)
    return json.loads(subprocess.run([certus, "ledger", "show", ledger, "--json"], check=True, capture_output=True).stdout)


def new_ledger():
    if os.path.exists(ledger):
        os.remove(ledger)
    subprocess.run([certus, "ledger", "init", ledger, "--epsilon", "1000000"], check=True, stdout=subprocess.DEVNULL)


def arguments(name):
    one = [program, data, "count", "--where", "age >= 40", "--epsilon", "1", "--json", "--quiet"]
    return [*one, "--ledger", ledger, "--release-id", name]


def check(printed):
    text = json.dumps(shown())
    for name, result in printed.items():
        assert f'"{name}"' in text, f"{name} was printed, and is not in the ledger"
        again = subprocess.run(arguments(name), check=True, capture_output=True).stdout
        assert again == result, f"{name} is printed again, and differs"
    return len(printed)


started = time.time()
new_ledger()
subprocess.run(arguments("first"), check=True, capture_output=True)
whole = min(
    (lambda begin: (subprocess.run(arguments(f"warm-{i}"), check=True, capture_output=True), time.time() - begin)[1])(time.time())
    for i in range(5)
)
printed, kept, killed = {}, 0, 0
for i in range(rounds):
    if i % 100 == 0:
        kept += check(printed)
        printed = {}
        new_ledger()
    child = subprocess.Popen(arguments(f"r{i}"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(random.random() * whole * 1.3)
    child.send_signal(signal.SIGKILL)
    out = child.communicate()[0]
    killed += child.returncode == -signal.SIGKILL
    if out.endswith(b"}\n"):
        printed[f"r{i}"] = out
kept += check(printed)
print(f"{rounds} rounds, {killed} killed, {kept} results printed, each in its ledger with its debit; {time.time() - started:.0f} s")
