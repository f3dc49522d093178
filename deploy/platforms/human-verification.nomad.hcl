# nomad job run human-verification.nomad.hcl. The host volume `hv` of the client has the key and the configuration:
# keyring.json by `keygen`, config.yaml by `site add`, both readable by the user 1000.
job "human-verification" {
  type = "service"

  group "verify" {
    # Two or more share a Redis: docs/operate/redis.md.
    count = 1

    network {
      port "http" {
        to = 8080
      }
    }

    volume "hv" {
      type      = "host"
      source    = "hv"
      read_only = true
    }

    service {
      name     = "human-verification"
      port     = "http"
      provider = "nomad"

      check {
        type     = "http"
        path     = "/health"
        interval = "5s"
        timeout  = "2s"
      }
    }

    task "serve" {
      driver = "docker"

      config {
        image           = "ghcr.io/human-verification/human-verification:0.1.0"
        ports           = ["http"]
        readonly_rootfs = true
        cap_drop        = ["all"]
        security_opt    = ["no-new-privileges"]
      }

      env {
        HV_CONFIG  = "/keys/config.yaml"
        HV_KEYRING = "/keys/keyring.json"
      }

      volume_mount {
        volume      = "hv"
        destination = "/keys"
        read_only   = true
      }

      # The service finishes pending requests for up to ten seconds.
      kill_timeout = "15s"

      resources {
        cpu    = 1000
        memory = 512
      }
    }
  }
}
