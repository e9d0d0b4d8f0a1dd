// Part of undici that is needed only with a proxy.
'use strict';
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js');
