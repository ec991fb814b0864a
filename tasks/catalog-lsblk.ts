/** Catalog `lsblk`: the node's block devices, as lsblk lists them. Output: `{ results }`, one result. */
import { defineCollector } from 'nodewright/define';

export default defineCollector({
  injectableName: 'Task.Catalog.lsblk',
  friendlyName: 'Catalog block devices',
  source: 'lsblk',
  format: 'json',
  command:
    'lsblk --json --bytes --output NAME,KNAME,TYPE,SIZE,MODEL,SERIAL,WWN,ROTA,TRAN,VENDOR,REV,HCTL,RO,RM,MOUNTPOINT',
});
