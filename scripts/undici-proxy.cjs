// The part of undici that only those load who have a proxy.
'use strict';
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js');
