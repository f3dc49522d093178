{{- define "hv.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{/* Takes the root and the name of a part: human-verification or hv-gate. */}}
{{- define "hv.selector" -}}
{ app.kubernetes.io/name: {{ .part }}, app.kubernetes.io/instance: {{ .root.Release.Name }} }
{{- end }}
{{- define "hv.service.selector" -}}{{ include "hv.selector" (dict "root" . "part" "human-verification") }}{{- end }}
{{- define "hv.gate.selector" -}}{{ include "hv.selector" (dict "root" . "part" "hv-gate") }}{{- end }}
{{- define "hv.gate.name" -}}{{ .Release.Name }}-gate{{- end }}

{{- define "hv.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "hv.configMap" -}}{{ .Values.configMap | default "sites" }}{{- end }}
{{- define "hv.isShared" -}}{{ if eq .Values.store.kind "shared" }}yes{{ end }}{{- end }}

{{/* The most pods that may run at a time. */}}
{{- define "hv.instances" -}}
{{ if .Values.autoscaling.enabled }}{{ .Values.autoscaling.max }}{{ else }}{{ .Values.replicas }}{{ end }}
{{- end }}

{{/* Every host of the gate, as a list of JSON. */}}
{{- define "hv.gate.hosts" -}}
{{- $hosts := list }}
{{- range .Values.gate.config.gates }}{{ $hosts = concat $hosts .hosts }}{{ end }}
{{- $hosts | uniq | toJson }}
{{- end }}

{{- define "hv.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
# Lets the group read keys and secrets; a file that others can read is refused.
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}
{{- define "hv.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
