// The coordinator: its version, its archive and how it is reached.

import { useGet } from "./api";
import { bytes, moment } from "./format";
import { Facts } from "./parts";
import { t } from "./text";
import type { About } from "./types";

const soon = 30 * 86400_000; // an expiry within it is shown as a warning
const little = 0.1; // of the disk

/** Coordinator shows what the coordinator reports about itself. */
export function Coordinator({ about }: { about: About | undefined }) {
  if (!about) return null;
  const free = about.disk_total_bytes > 0 ? about.disk_free_bytes / about.disk_total_bytes : 1;
  const disk = t(`${bytes(about.disk_free_bytes)} free of ${bytes(about.disk_total_bytes)}`, `共 ${bytes(about.disk_total_bytes)}，剩余 ${bytes(about.disk_free_bytes)}`);
  const expires = about.certificate_expires;
  return (
    <section>
      <h2>Coordinator</h2>
      <Facts of={[
        [t("Version", "版本"), about.version],
        [t("Archive", "结果存储"), bytes(about.archive_bytes)],
        [t("Disk", "磁盘"), about.disk_total_bytes > 0 ? (free < little ? <span class="badge caution">{disk}</span> : disk) : ""],
        [t("Certificate expires", "证书有效期至"), expires ? (Date.parse(expires) - Date.now() < soon ? <span class="badge caution">{moment(expires)}</span> : moment(expires)) : ""],
        [t("Listens on", "监听"), (about.listeners ?? []).join("; ")],
      ]} />
    </section>
  );
}

/** AgentCommand is the command that starts an agent of this coordinator. */
export function AgentCommand() {
  const { data } = useGet<About>("/about");
  const port = (data?.listeners ?? []).map((l) => /^gRPC \S*:(\d+):/.exec(l)?.[1]).find(Boolean);
  return <code>benchd agent --coordinator {location.hostname}:{port ?? "7070"}</code>;
}
