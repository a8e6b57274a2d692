package memory

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
)

// metaScheme knows what is sent beside objects: options, and a Status.
var metaScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
	return scheme
}()

// codec is the serializer of a kind: objects are JSON on the wire, and
// unstructured in the server.
type codec struct {
	*kind
	media []runtime.SerializerInfo
}

func newCodec(of *kind) codec {
	serializer := func(options json.SerializerOptions) runtime.Serializer {
		return json.NewSerializerWithOptions(json.DefaultMetaFactory, maker{}, typer{}, options)
	}
	return codec{kind: of, media: []runtime.SerializerInfo{
		{
			MediaType: runtime.ContentTypeJSON, MediaTypeType: "application", MediaTypeSubType: "json", EncodesAsText: true,
			Serializer:       serializer(json.SerializerOptions{}),
			PrettySerializer: serializer(json.SerializerOptions{Pretty: true}),
			StrictSerializer: serializer(json.SerializerOptions{Strict: true}),
			StreamSerializer: &runtime.StreamSerializerInfo{EncodesAsText: true, Serializer: serializer(json.SerializerOptions{}), Framer: json.Framer},
		},
		{
			MediaType: runtime.ContentTypeYAML, MediaTypeType: "application", MediaTypeSubType: "yaml", EncodesAsText: true,
			Serializer:       serializer(json.SerializerOptions{Yaml: true}),
			StrictSerializer: serializer(json.SerializerOptions{Yaml: true, Strict: true}),
		},
	}}
}

// SupportedMediaTypes implements [runtime.NegotiatedSerializer].
func (c codec) SupportedMediaTypes() []runtime.SerializerInfo { return c.media }

// EncoderForVersion implements [runtime.NegotiatedSerializer].
func (c codec) EncoderForVersion(encoder runtime.Encoder, version runtime.GroupVersioner) runtime.Encoder {
	return versioning.NewCodec(encoder, nil, convertor{}, metaScheme, metaScheme, metaScheme, version, nil, "memory")
}

// DecoderToVersion implements [runtime.NegotiatedSerializer].
func (c codec) DecoderToVersion(decoder runtime.Decoder, version runtime.GroupVersioner) runtime.Decoder {
	strict := false
	if serializer, ok := decoder.(*json.Serializer); ok {
		strict = serializer.IsStrict()
	}
	d := coercing{Decoder: decoder, kind: c.kind, strict: strict}
	var defaults runtime.ObjectDefaulter
	if c.custom {
		defaults = defaulter{c.kind}
	} // else they are filled in by coerce
	return versioning.NewCodec(nil, d, runtime.UnsafeObjectConvertor(metaScheme), metaScheme, typer{}, defaults, nil, version, "memory")
}

// coercing gives what it decodes the form in which it is kept.
type coercing struct {
	runtime.Decoder
	kind   *kind
	strict bool
}

// Decode implements [runtime.Decoder].
func (d coercing) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	decoded, gvk, err := d.Decoder.Decode(data, defaults, into)
	var complaints []error
	if err != nil {
		strict, ok := runtime.AsStrictDecodingError(err)
		if !ok || decoded == nil {
			return nil, gvk, err
		}
		complaints = strict.Errors()
	}
	if object, ok := decoded.(*unstructured.Unstructured); ok && object.GroupVersionKind() == d.kind.gvk {
		unknown, err := d.kind.coerce(object)
		if err != nil {
			return nil, gvk, err
		}
		for _, name := range unknown {
			complaints = append(complaints, fmt.Errorf("unknown field %q", name))
		}
	}
	if d.strict && len(complaints) > 0 {
		return decoded, gvk, runtime.NewStrictDecodingError(complaints)
	}
	return decoded, gvk, nil
}

// maker makes unstructured objects of whatever kind, and blank ones of its own.
type maker struct{ *kind }

func (c maker) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	if c.kind != nil && gvk == c.gvk {
		object.Object = runtime.DeepCopyJSON(c.blank)
	}
	object.SetGroupVersionKind(gvk)
	return object, nil
}

// typer tells the kind of objects.
type typer struct{}

func (typer) ObjectKinds(object runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	if _, ok := object.(runtime.Unstructured); !ok {
		return metaScheme.ObjectKinds(object)
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	if gvk.Kind == "" {
		return nil, false, runtime.NewMissingKindErr("unstructured object has no kind")
	}
	if gvk.Version == "" {
		return nil, false, runtime.NewMissingVersionErr("unstructured object has no version")
	}
	return []schema.GroupVersionKind{gvk}, false, nil
}

func (typer) Recognizes(schema.GroupVersionKind) bool { return true }

// defaulter fills in the defaults of a kind.
type defaulter struct{ *kind }

func (d defaulter) Default(in runtime.Object) {
	if object, ok := in.(*unstructured.Unstructured); ok && object.GroupVersionKind() == d.gvk {
		d.fillIn(object)
	}
}

// convertor converts nothing: each kind has one version.
type convertor struct{ copies bool }

func (c convertor) Convert(in, out, _ any) error {
	from, ok := in.(*unstructured.Unstructured)
	into, also := out.(*unstructured.Unstructured)
	if !ok || !also {
		return fmt.Errorf("cannot convert %T to %T", in, out)
	}
	into.Object = from.Object
	if c.copies {
		into.Object = from.DeepCopy().Object
	}
	return nil
}

func (c convertor) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	if c.copies {
		return in.DeepCopyObject(), nil
	}
	return in, nil
}

func (convertor) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	if _, err := fields.ParseSelector(label + "=" + value); err != nil {
		return "", "", err
	}
	return label, value, nil
}
