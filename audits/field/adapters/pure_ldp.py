"""pure-ldp: reports of local frequency oracles on two values, at the ε of the client. What a server keeps (hashes, matrices) is fixed."""

from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.histogram_encoding import HEClient
from pure_ldp.frequency_oracles.local_hashing import LHClient
from pure_ldp.frequency_oracles.unary_encoding import UEClient

from target import target


def of(name, make):
    @target(name, mechanism=name.split(",")[0], a=1, b=2, claim=(1, 0), samples=50_000)
    def report(value):
        client = make()
        return lambda: client.privatise(value)


of("direct encoding", lambda: DEClient(epsilon=1, d=4))
of("direct encoding, many values", lambda: DEClient(epsilon=1, d=50))
of("unary encoding, symmetric", lambda: UEClient(epsilon=1, d=4, use_oue=False))
of("unary encoding, optimised", lambda: UEClient(epsilon=1, d=4, use_oue=True))
of("histogram encoding, summation", lambda: HEClient(epsilon=1, d=4))
of("local hashing, binary", lambda: LHClient(epsilon=1, d=4, use_olh=False, g=2))
of("local hashing, optimised", lambda: LHClient(epsilon=1, d=4, use_olh=True))


def hadamard():
    server = HadamardResponseServer(epsilon=1, d=4)
    return HadamardResponseClient(epsilon=1, d=4, hash_funcs=server.get_hash_funcs())


of("hadamard response", hadamard)
