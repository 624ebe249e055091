# The program and nothing else: docker build -t deadhead . && docker run --rm -i deadhead prune < body.json
# Not built so far: where this was written there was no Docker daemon. The commands in it are those of packaging/program, which is tested.
FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN install -D "$(packaging/program)" /out/deadhead

FROM scratch
COPY --from=build /out/deadhead /deadhead
USER 65534:65534
ENTRYPOINT ["/deadhead"]
