# A server for the CPU: docker build -t hearth .
# Not Node.js 24: with the header files of 24.19 and later, better-sqlite3 12 ends the process (nodejs/node issue 65446).
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ git \
  && rm -rf /var/lib/apt/lists/*
# node-gyp finds the header files in the image instead of downloading them.
ENV npm_config_nodedir=/usr/local
WORKDIR /opt/hearth
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run slim

FROM ${NODE_IMAGE}
WORKDIR /opt/hearth
COPY --from=build /opt/hearth/node_modules node_modules
COPY --from=build /opt/hearth/models models
COPY --from=build /opt/hearth/dist dist
COPY --from=build /opt/hearth/package.json /opt/hearth/LICENSE ./
RUN ln -s /opt/hearth/dist/main.js /usr/local/bin/hearth \
  && mkdir -p /var/lib/hearth/data /var/lib/hearth/models \
  && chown -R node:node /var/lib/hearth \
  && chmod 700 /var/lib/hearth/data

# Inside the container the server listens on every address. Publish the port on 127.0.0.1 only, or to a proxy that ends TLS.
ENV NODE_ENV=production HEARTH_HOST=0.0.0.0 HEARTH_PORT=4280 HEARTH_TRUST_PROXY=true
ENV HEARTH_DATA=/var/lib/hearth/data HEARTH_MODELS=/var/lib/hearth/models
USER node
# hearth.yaml is read here. Nothing is written but data, models and /tmp.
WORKDIR /var/lib/hearth
VOLUME ["/var/lib/hearth/data", "/var/lib/hearth/models"]
EXPOSE 4280
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4280/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["hearth"]
CMD ["start"]
