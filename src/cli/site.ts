import { group } from './command.ts'
import { siteAdd } from './site-add.ts'
import { siteList } from './site-list.ts'
import { siteRemove } from './site-remove.ts'
import { siteRotate } from './site-rotate.ts'

/** `hv site …`: hands on to the command named second. */
export const site = group('site', 'adds, rotates, lists or removes sites', {
  add: siteAdd,
  rotate: siteRotate,
  list: siteList,
  remove: siteRemove,
})
