package table

import "testing"

func TestTextOptions_Validate(t *testing.T) {
	for _, o := range []TextOptions{{Delimiter: ";;"}, {Delimiter: "\""}, {Delimiter: "\n"}, {Delimiter: "\xff"},
		{Decimal: ";"}, {Thousands: ";"}, {Thousands: ",."},
		{Thousands: ".", Decimal: "."}, {Thousands: ",", Decimal: ","}, {Strip: "-"}, {Strip: "x5"}} {
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
		if o.IsZero() {
			t.Errorf("%+v asks for nothing", o)
		}
	}
	for _, o := range []TextOptions{{}, {Delimiter: ";"}, {Delimiter: "\t"}, {Delimiter: "ü"}, {Decimal: "."},
		{Decimal: ",", Thousands: "."}, {Thousands: ","}, {Strip: "%"}} {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if o.IsZero() != (o.Delimiter == "" && o.DecimalSeparator() == "." && o.Thousands == "" && o.Strip == "") {
			t.Errorf("%+v asks for nothing: %v", o, o.IsZero())
		}
	}
	for _, o := range []TextOptions{{NoHeader: true}, {Missing: []string{"-"}}} {
		if o.IsZero() {
			t.Errorf("%+v asks for nothing", o)
		}
	}
}
