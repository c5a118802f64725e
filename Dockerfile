# The command in an image with nothing else: no shell, no C library, no package that could need an update.
#   docker build --tag certus .
#   docker run --rm certus account 'gaussian(sigma=10)*100' --delta 1e-6
#   docker run --rm --user "$(id -u)" --volume "$PWD:/work" certus audit audits.toml --report report.html
# An audit of a command (`--a`, `--b`, `--command`) needs a shell and the audited program: copy /certus into their image instead.
# Not run where it was written, which has no Docker daemon: `packaging/context` runs its steps without one.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY Cargo.toml Cargo.lock README.md LICENSE-MIT LICENSE-APACHE ./
COPY src src
COPY examples examples
COPY crates crates
COPY audits/oracle audits/oracle
COPY packaging packaging
RUN packaging/binary "$(uname -m)-unknown-linux-musl" /built && mkdir /built/work

FROM scratch
COPY --from=build /built/certus /certus
COPY --from=build /source/LICENSE-MIT /source/LICENSE-APACHE /
COPY --from=build --chown=65532:65532 /built/work /work
# Nobody, by number: there is no list of names here.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/certus"]
