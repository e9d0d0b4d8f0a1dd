// Text width function in the form that cli-table3 expects.
'use strict';
module.exports = require('fast-string-width').default;
