# The program and nothing else, as a proxy: docker build -t deadhead . && docker run --rm -p 8484:8484 -v ./token:/token:ro deadhead
# Another command takes its place: docker run --rm -i deadhead prune < body.json
# Not built so far: where this was written there was no Docker daemon. The commands in it are those of packaging/program, which is tested.
FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN install -D "$(packaging/program)" /out/deadhead

FROM scratch
COPY --from=build /out/deadhead /deadhead
USER 65534:65534
EXPOSE 8484
ENTRYPOINT ["/deadhead"]
# Clients send the token in the header x-deadhead-token.
CMD ["proxy", "--listen", "0.0.0.0:8484", "--token-file", "/token"]
