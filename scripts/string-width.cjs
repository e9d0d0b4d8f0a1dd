// The one measure of width, in the shape cli-table3 expects.
'use strict';
module.exports = require('fast-string-width').default;
