// The third column of the table of rooms in docs/ARCHITECTURE.md.
const mayImport = {
  loop: [],
  ofp: [],
  'nx-extensions': ['ofp'],
  packetio: ['ofp', 'nx-extensions'],
  model: [],
  maglev: [],
  pipeline: ['model', 'maglev', 'ofp', 'nx-extensions'],
  sync: ['pipeline', 'ofp', 'nx-extensions', 'packetio/types'],
  arp: ['packetio'],
  hc: ['packetio', 'arp'],
  ovs: [],
  trace: ['pipeline', 'model'],
  capture: ['ofp', 'nx-extensions', 'pipeline', 'packetio'],
  api: ['agent/read-model', 'model/nearest'],
  cli: ['api', 'ofp', 'nx-extensions', 'model'],
};
const roomRules = Object.entries(mayImport).map(([room, allowed]) => ({
  name: `room-${room}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: [`^src/${room}/`, '^src/loop/', ...allowed.map((r) => `^src/${r}(/|\\.)`)] },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'ofp-channel-only-below-sockets',
      comment: 'The codec is usable alone: nothing in ofp/ outside channel/ opens sockets.',
      severity: 'error',
      from: { path: '^src/ofp/', pathNot: '^src/ofp/channel/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|util)$' },
    },
    {
      name: 'cli-starts-fast',
      comment: 'What a command needs beyond the API it loads when it needs it: `await import()`.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/ofp-print' },
      to: {
        path: [
          'node_modules/(zod|yaml|fastify|@fastify|pino|prom-client)/',
          '^src/(?!cli/|api/types|model/nearest)',
        ],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.cjs'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
