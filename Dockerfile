# The programs `locomotion-server` and `locomotion` on Debian 12:
#   docker build --tag locomotion-server .
FROM swift:6.2-bookworm AS build
COPY . /source
RUN bash /source/Sources/Server/Setup/install.sh /opt/locomotion

FROM debian:12-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libarchive13 libcjose0 \
    libcurl3-gnutls libmicrohttpd12 libnettle8 libopenblas0-pthread libpq5 libsqlite3-0 tzdata \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/locomotion /opt/locomotion
ENV PATH=/opt/locomotion:$PATH
USER 10001:10001
ENTRYPOINT ["locomotion-server"]
