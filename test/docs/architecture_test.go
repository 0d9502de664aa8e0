package docs_test

import (
	"fmt"
	"testing"
)

// The picture of the parts of benchd and of what passes between them, for the READMEs in both languages.
func TestPictureOfTheArchitecture(t *testing.T) {
	for language, words := range captions() {
		for _, theme := range themes() {
			drawn(t, "architecture"+language+"-"+theme.name+".svg", architecture(words, theme))
		}
	}
}

// caption are the words of the picture that have a translation. The names of parts have none.
type caption struct {
	title, users, prometheus                string
	queue, merge, archive                   string
	clients, agent                          string
	submit, results, scrape, start, windows string
	operations, steward, cluster            string
}

func captions() map[string]caption {
	return map[string]caption{
		"": {
			title: "Architecture of benchd: benchctl submits suites to the coordinator, which starts agents on the client machines and merges what they measure",
			users: "command line, CI", prometheus: "Grafana, alerts",
			queue: "queue, common start instant", merge: "merged histograms, verdicts", archive: "archive: one SQLite file",
			clients: "client machines", agent: "workers, windows",
			submit: "suite", results: "result", scrape: "/metrics", start: "plan, start instant ↓", windows: "↑ windows: histograms, counts",
			operations: "operations", steward: "one agent: set-up, actions, telemetry", cluster: "HBase cluster",
		},
		".zh": {
			title: "benchd 架构：benchctl 向 coordinator 提交套件，coordinator 让各压测机上的 agent 同时开始施压，并合并测到的数据",
			users: "命令行、CI", prometheus: "Grafana、告警",
			queue: "排队，统一开始时刻", merge: "合并直方图，给出结论", archive: "结果存储：一个 SQLite 文件",
			clients: "压测机", agent: "工作线程、时间窗",
			submit: "套件", results: "结果", scrape: "/metrics", start: "计划、开始时刻 ↓", windows: "↑ 时间窗：直方图、计数",
			operations: "读写操作", steward: "其中一个 agent：建表、管理操作、监控", cluster: "HBase 集群",
		},
	}
}

// architecture draws, from the top to the bottom, the coordinator between its users, the agents, and the cluster.
func architecture(c caption, t theme) string {
	const width, height = 720, 496
	p := &picture{theme: t}
	p.add(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">`+
		`<path d="M0 0.5 L7.5 4 L0 7.5 Z" fill="%s"/></marker></defs>`, t.dim)
	p.add(`<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" fill="%s" stroke="%s"/>`, width-1, height-1, t.page, t.border)

	p.box(20, 38, 150, 66, "benchctl", c.users)
	p.box(247, 18, 226, 106, "coordinator", c.queue, c.merge, c.archive)
	p.box(565, 38, 135, 66, "Prometheus", c.prometheus)
	p.arrow("M170 60 H245", c.submit, 208, 53)
	p.arrow("M247 84 H172", c.results, 209, 101)
	p.arrow("M565 71 H475", c.scrape, 520, 64)

	p.frame(20, 204, 680, 108, c.clients)
	p.frame(20, 382, 680, 98, c.cluster)
	p.lines("M360 124 V180 M133 180 H588")
	for i, x := range []float64{45, 272, 500} {
		p.box(x, 232, 176, 62, "agent "+[]string{"1", "2", "n"}[i], c.agent)
		p.arrow(fmt.Sprintf("M%g 180 V230", x+88), "", 0, 0)
		p.lines(fmt.Sprintf("M%g 294 V336", x+88))
	}
	p.arrow("M360 180 V126", "", 0, 0)
	p.text(350, 158, "end", 12.5, t.dim, c.start)
	p.text(371, 158, "start", 12.5, t.dim, c.windows)

	p.box(45, 408, 130, 54, "ZooKeeper")
	p.box(195, 408, 130, 54, "Master")
	p.box(345, 408, 155, 54, "RegionServer 1")
	p.box(525, 408, 155, 54, "RegionServer n")
	p.lines("M133 336 H602")
	p.arrow("M422 336 V406", "", 0, 0)
	p.arrow("M602 336 V406", c.operations, 500, 329)
	p.add(`<path d="M70 294 V372 H260 V406" fill="none" stroke="%s" stroke-width="1.3" stroke-dasharray="5 3" marker-end="url(#tip)"/>`, t.dim)
	p.text(80, 362, "start", 12.5, t.dim, c.steward)
	return p.document(width, height, "-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Noto Sans', Helvetica, Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif", c.title)
}

// box draws a part with its name and what it does.
func (p *picture) box(x, y, width, height float64, name string, lines ...string) {
	p.add(`<rect x="%g" y="%g" width="%g" height="%g" rx="6" fill="%s" stroke="%s"/>`, x, y, width, height, p.bar, p.border)
	const leading = 20
	middle, at := x+width/2, y+height/2-leading*float64(len(lines))/2+5
	p.add(`<text x="%g" y="%g" font-size="15" font-weight="600" text-anchor="middle" fill="%s">%s</text>`, middle, at, p.theme.text, escape(name))
	for i, line := range lines {
		p.text(middle, at+leading*float64(i+1), "middle", 12.5, p.dim, line)
	}
}

// frame draws a group of parts.
func (p *picture) frame(x, y, width, height float64, name string) {
	p.add(`<rect x="%g" y="%g" width="%g" height="%g" rx="8" fill="none" stroke="%s" stroke-dasharray="4 4"/>`, x, y, width, height, p.border)
	p.text(x+14, y+19, "start", 12.5, p.dim, name)
}

func (p *picture) lines(path string) {
	p.add(`<path d="%s" fill="none" stroke="%s" stroke-width="1.3"/>`, path, p.dim)
}

// arrow draws a path with a tip, and what goes along it.
func (p *picture) arrow(path, label string, x, y float64) {
	p.add(`<path d="%s" fill="none" stroke="%s" stroke-width="1.3" marker-end="url(#tip)"/>`, path, p.dim)
	if label != "" {
		p.text(x, y, "middle", 12.5, p.dim, label)
	}
}

func (p *picture) text(x, y float64, anchor string, size float64, colour, text string) {
	p.add(`<text x="%g" y="%g" font-size="%g" text-anchor="%s" fill="%s">%s</text>`, x, y, size, anchor, colour, escape(text))
}
