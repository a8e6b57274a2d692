package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

// manager is what controllers are set up with. It serves no metrics or
// probes, takes webhooks and never calls them, and is always the leader.
type manager struct {
	options  Options
	operator *Operator
	live     client.Client
	client   client.Client
	added    []ctrlmanager.Runnable
	elected  chan struct{}
	webhooks webhooks
	logger   logr.Logger
}

var _ ctrl.Manager = &manager{}

func newManager(options Options, operator *Operator, live client.Client) *manager {
	m := &manager{
		options: options, operator: operator, live: live, elected: make(chan struct{}),
		client: &cachedClient{Client: live, cache: operator.cache},
		logger: logr.Discard(), webhooks: webhooks{http.NewServeMux()},
	}
	if options.Logged != nil {
		m.logger = logr.New(sink{options.Logged})
	}
	close(m.elected)
	return m
}

// Add implements [ctrl.Manager]: of controllers it takes the queue away.
func (m *manager) Add(runnable ctrlmanager.Runnable) error {
	m.added = append(m.added, runnable)
	// The type of controllers is internal to controller-runtime; the field is not.
	structure := reflect.ValueOf(runnable)
	if structure.Kind() != reflect.Pointer || structure.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := structure.Elem().FieldByName("NewQueue")
	if !field.IsValid() || !field.CanSet() {
		return nil
	}
	queue := newQueue()
	replace := func(_ string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		queue.limiter = limiter
		return queue
	}
	if reflect.TypeOf(replace) != field.Type() {
		return fmt.Errorf("operator: a controller whose requests are other ones, with a queue made by %s: only those of reconcile.Request can be run", field.Type())
	}
	field.Set(reflect.ValueOf(replace))
	m.operator.queues = append(m.operator.queues, queue)
	return nil
}

func (m *manager) Elected() <-chan struct{}                                { return m.elected }
func (m *manager) AddMetricsServerExtraHandler(string, http.Handler) error { return nil }
func (m *manager) AddHealthzCheck(string, healthz.Checker) error           { return nil }
func (m *manager) AddReadyzCheck(string, healthz.Checker) error            { return nil }
func (m *manager) GetWebhookServer() webhook.Server                        { return m.webhooks }
func (m *manager) GetLogger() logr.Logger                                  { return m.logger }
func (m *manager) GetConverterRegistry() conversion.Registry               { return conversion.NewRegistry() }
func (m *manager) GetHTTPClient() *http.Client {
	return &http.Client{Transport: m.options.Config.Transport}
}
func (m *manager) GetConfig() *rest.Config              { return m.options.Config }
func (m *manager) GetCache() cache.Cache                { return m.operator.cache }
func (m *manager) GetScheme() *runtime.Scheme           { return m.options.Kinds.Scheme() }
func (m *manager) GetClient() client.Client             { return m.client }
func (m *manager) GetFieldIndexer() client.FieldIndexer { return m.operator.cache }
func (m *manager) GetRESTMapper() meta.RESTMapper       { return m.options.Kinds.Mapper() }
func (m *manager) GetAPIReader() client.Reader          { return m.live }
func (m *manager) GetEventRecorderFor(string) record.EventRecorder {
	return oldRecorder{m.GetEventRecorder("")}
}

// GetControllerOptions implements [ctrl.Manager]: names may be used again, because a
// test starts an operator many times.
func (m *manager) GetControllerOptions() config.Controller {
	return config.Controller{SkipNameValidation: new(true)}
}

// Start implements [ctrl.Manager].
func (m *manager) Start(context.Context) error {
	return errors.New("operator: the manager of a test is started by the test")
}

// GetEventRecorder implements [ctrl.Manager].
func (m *manager) GetEventRecorder(string) recorder.EventRecorder {
	if m.options.Recorder == nil {
		return newRecorder{noRecorder{}}
	}
	return newRecorder{m.options.Recorder}
}

type noRecorder struct{}

func (noRecorder) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

// newRecorder offers the interface of today.
type newRecorder struct{ events.EventRecorder }

func (r newRecorder) AnnotatedEventf(
	regarding, related runtime.Object, _ map[string]string, eventType, reason, action, note string, args ...any,
) {
	r.Eventf(regarding, related, eventType, reason, action, note, args...)
}

// oldRecorder offers the older interface of recorders.
type oldRecorder struct{ events.EventRecorder }

func (r oldRecorder) Event(object runtime.Object, eventType, reason, message string) {
	r.EventRecorder.Eventf(object, nil, eventType, reason, reason, "%s", message)
}

func (r oldRecorder) Eventf(object runtime.Object, eventType, reason, format string, args ...any) {
	r.EventRecorder.Eventf(object, nil, eventType, reason, reason, format, args...)
}

func (r oldRecorder) AnnotatedEventf(object runtime.Object, _ map[string]string, eventType, reason, format string, args ...any) {
	r.Eventf(object, eventType, reason, format, args...)
}

// sink passes on the errors that are logged.
type sink struct{ logged func(error, string) }

func (sink) Init(logr.RuntimeInfo)                       {}
func (sink) Enabled(int) bool                            { return false }
func (sink) Info(int, string, ...any)                    {}
func (s sink) Error(err error, message string, _ ...any) { s.logged(err, message) }
func (s sink) WithValues(...any) logr.LogSink            { return s }
func (s sink) WithName(string) logr.LogSink              { return s }

// cachedClient reads as a manager's client does: typed objects from the cache.
type cachedClient struct {
	client.Client
	cache *Cache
}

func (c *cachedClient) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if _, ok := into.(runtime.Unstructured); ok {
		return c.Client.Get(ctx, key, into, options...)
	}
	return c.cache.Get(ctx, key, into, options...)
}

func (c *cachedClient) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if _, ok := into.(runtime.Unstructured); ok {
		return c.Client.List(ctx, into, options...)
	}
	return c.cache.List(ctx, into, options...)
}
