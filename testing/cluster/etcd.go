package cluster

import "context"

// Sockets of etcd in the cluster's directory: no port to be taken, and nobody
// else on the machine can connect.
const (
	etcdClientSocket = "etcd-client.sock"
	etcdPeerSocket   = "etcd-peer.sock"
)

// startEtcd starts etcd, without waiting for it: the API server does that.
func (c *Cluster) startEtcd(context.Context) error {
	clients, peers := "unix://"+c.path(etcdClientSocket), "unix://"+c.path(etcdPeerSocket)
	p, err := c.launch(Etcd, []string{
		"--name=default",
		"--data-dir=" + c.path("etcd"),
		"--listen-client-urls=" + clients,
		"--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers,
		"--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=default=" + peers,
		"--unsafe-no-fsync", // the data does not outlive the process
		"--log-level=warn",
	})
	if err != nil {
		return err
	}
	c.guard(Etcd, p)
	return nil
}
