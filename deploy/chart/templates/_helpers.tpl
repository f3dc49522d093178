{{- define "hv.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "hv.labels" -}}
{{ include "hv.commonLabels" . }}
app.kubernetes.io/name: human-verification
{{- end }}
{{- define "hv.gate.labels" -}}
{{ include "hv.commonLabels" . }}
app.kubernetes.io/name: hv-gate
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

{{/* A fixed name, so that pods reload a change without a restart. */}}
{{- define "hv.configMap" -}}{{ .Values.configMap | default (printf "%s-config" .Release.Name) }}{{- end }}
{{- define "hv.isShared" -}}{{ if eq .Values.store.kind "shared" }}yes{{ end }}{{- end }}

{{/* The most pods that may run at a time. */}}
{{- define "hv.instances" -}}
{{ if .Values.autoscaling.enabled }}{{ .Values.autoscaling.max }}{{ else }}{{ .Values.replicas }}{{ end }}
{{- end }}

{{/* The names that visitors use for the service, as a list of JSON: those of an entrance, else that of public_url. */}}
{{- define "hv.hosts" -}}
{{- $hosts := .Values.httpRoute.enabled | ternary .Values.httpRoute.hostnames .Values.ingress.hostnames }}
{{- $url := (.Values.config | default dict).public_url | default "" }}
{{- if and (not $hosts) $url }}{{ $hosts = list (urlParse $url).hostname }}{{ end }}
{{- $hosts | toJson }}
{{- end }}

{{/* Every host of the gate, as a list of JSON. */}}
{{- define "hv.gate.hosts" -}}
{{- $hosts := list }}
{{- range .Values.gate.config.gates }}{{ $hosts = concat $hosts .hosts }}{{ end }}
{{- $hosts | uniq | toJson }}
{{- end }}

{{/* What every pod has. Links to the Services of the namespace would become variables: a release `hv` has HV_PORT. */}}
{{- define "hv.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "hv.podSecurity" . | nindent 2 }}
{{- end }}

{{/* Takes a selector. */}}
{{- define "hv.spread" -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ $ }}
  {{- end }}
{{- end }}

{{/* Takes a selector. A pod that is not ready, as all are while the store is away, holds up no drain of a node. */}}
{{- define "hv.disruption" -}}
maxUnavailable: 1
unhealthyPodEvictionPolicy: AlwaysAllow
selector:
  matchLabels: {{ . }}
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
