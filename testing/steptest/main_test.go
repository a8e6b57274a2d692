package steptest

import (
	"testing"

	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{}) }
