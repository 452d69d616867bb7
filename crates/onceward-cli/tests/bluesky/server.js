// The reference server of the AT Protocol, with a directory of accounts in memory, both on free ports of loopback.
// Its data goes into the folder that is its first argument; a second one, `limits`, turns its rate limits on. When it
// is up it prints its address; it ends when its standard input does, so that no run leaves it behind.
const fs = require('fs')
const path = require('path')
const plc = require('@did-plc/server')
const { PDS, envToCfg, envToSecrets } = require('@atproto/pds')

const [folder, limits] = process.argv.slice(2)

// Both listen on every address unless they are told otherwise.
function onLoopback(server) {
  const listen = server.app.listen
  server.app.listen = function (port, done) {
    return listen.call(this, port, '127.0.0.1', done)
  }
  return server
}

async function directory() {
  const server = onLoopback(plc.PlcServer.create({ db: plc.Database.mock(), port: 0 }))
  return (await server.start()).address().port
}

async function pds(directory) {
  const sub = (name) => {
    fs.mkdirSync(path.join(folder, name), { recursive: true })
    return path.join(folder, name)
  }
  const env = {
    port: 0,
    hostname: 'localhost',
    serviceHandleDomains: ['.test'],
    devMode: true,
    dataDirectory: folder,
    actorStoreDirectory: sub('actors'),
    blobstoreDiskLocation: sub('blobs'),
    blobstoreDiskTmpLocation: path.join(folder, 'tmp'),
    blobUploadLimit: 2_000_000,
    didPlcUrl: `http://127.0.0.1:${directory}`,
    inviteRequired: false,
    // Nobody else is there.
    bskyAppViewUrl: 'http://127.0.0.1:1',
    bskyAppViewDid: 'did:example:invalid',
    modServiceUrl: 'http://127.0.0.1:1',
    modServiceDid: 'did:example:invalid',
    crawlers: [],
    trustedOAuthClients: [],
    disableSsrfProtection: true,
    rateLimitsEnabled: limits === 'limits',
    rateLimitBypassIps: [],
    jwtSecret: 'a'.repeat(32),
    adminPassword: 'admin',
    dpopSecret: '0b'.repeat(32),
    plcRotationKeyK256PrivateKeyHex: '01'.repeat(32),
  }
  const server = onLoopback(await PDS.create(envToCfg(env), envToSecrets(env)))
  return (await server.start()).address().port
}

process.stdin.resume().on('end', () => process.exit(0))
directory()
  .then(pds)
  .then((port) => console.log(`http://127.0.0.1:${port}`))
  .catch((error) => {
    console.error(error)
    process.exit(1)
  })
