package webhook

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/notice"
)

// Format is the form of a delivery's body.
type Format string

// The formats. All but JSON have the notice's text alone, in the form that a chat tool expects.
const (
	JSON     Format = "json"
	Slack    Format = "slack" // also of Mattermost and others
	Feishu   Format = "feishu"
	DingTalk Format = "dingtalk"
	WeCom    Format = "wecom"
)

// Formats returns all formats.
func Formats() []Format { return []Format{JSON, Slack, Feishu, DingTalk, WeCom} }

// body returns the body of a notice.
func (f Format) body(n *notice.Notice) ([]byte, error) {
	text := n.Text
	if n.Link != "" {
		text += "\n" + n.Link
	}
	switch f {
	case Slack:
		return json.Marshal(map[string]string{"text": text})
	case Feishu:
		return json.Marshal(map[string]any{"msg_type": "text", "content": map[string]string{"text": text}})
	case DingTalk, WeCom:
		return json.Marshal(map[string]any{"msgtype": "text", "text": map[string]string{"content": text}})
	case JSON:
	}
	return json.Marshal(n)
}

// answer checks the answer of a chat tool: some refuse a message with the status 200, and a code in the body. Their own
// limits of messages for a minute are worth another attempt.
func (f Format) answer(body []byte) (code int, again bool) {
	if !slices.Contains([]Format{Feishu, DingTalk, WeCom}, f) {
		return 0, false
	}
	var a struct {
		Code    int `json:"code"`
		ErrCode int `json:"errcode"`
	}
	if json.Unmarshal(body, &a) != nil {
		return 0, false
	}
	code = a.Code
	if a.ErrCode != 0 {
		code = a.ErrCode
	}
	busy := map[Format][]int{Feishu: {9499, 11232}, DingTalk: {-1, 130101}, WeCom: {-1, 45009}}
	return code, slices.Contains(busy[f], code)
}

// refusal describes a code of answer.
func (f Format) refusal(code int) error {
	return fmt.Errorf("%s answers with the code %d: its documentation lists the codes", f, code)
}
