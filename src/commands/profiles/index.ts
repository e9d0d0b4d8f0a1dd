export { add } from './add.ts';
export { list } from './list.ts';
export { prompt } from './prompt.ts';
export { remove } from './remove.ts';
export { set } from './set.ts';
export { show } from './show.ts';
export { test } from './test.ts';
export { use } from './use.ts';
