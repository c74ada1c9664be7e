package pgcatalog

import (
	"sync"

	"minidb/sql/types"
)

// commentFuncs give what COMMENT said of objects.
var commentFuncs = map[string]body{
	"obj_description(oid,name)":   asking(objDescription(false)),
	"shobj_description(oid,name)": asking(objDescription(true)),
	"obj_description(oid)": asking(func(_ *Reader, s *Snapshot, args []datum) (datum, error) {
		for _, all := range []map[comment]string{s.comments(), builtinComments()} {
			for k, c := range all {
				if k.object == oidOf(args[0]) && k.part == 0 {
					return text(c), nil
				}
			}
		}
		return null, nil
	}),
	"col_description(oid,int4)": asking(func(_ *Reader, s *Snapshot, args []datum) (datum, error) {
		return s.comment(comment{oidOf(args[0]), classRelation, int32(args[1].I)}), nil
	}),
}

// objDescription is the comment on an object of a class, which a system table names.
func objDescription(shared bool) func(*Reader, *Snapshot, []datum) (datum, error) {
	return func(_ *Reader, s *Snapshot, args []datum) (datum, error) {
		rel := Find("pg_catalog", args[1].Text())
		if rel == nil || rel.Shared != shared {
			return null, nil
		}
		return s.comment(comment{oidOf(args[0]), rel.OID, 0}), nil
	}
}

// comment names what a comment is on.
type comment struct {
	object, class types.OID
	part          int32 // column number, or 0
}

func (s *Snapshot) comment(k comment) datum {
	if c, ok := s.comments()[k]; ok {
		return text(c)
	}
	if c, ok := builtinComments()[k]; ok {
		return text(c)
	}
	return null
}

// builtinComments are those on the objects that are there from the start.
var builtinComments = sync.OnceValue(func() map[comment]string {
	out := map[comment]string{}
	for _, r := range builtinRows("pg_description") {
		out[comment{types.OID(r[0].I), types.OID(r[1].I), int32(r[2].I)}] = r[3].Text()
	}
	for _, r := range builtinRows("pg_shdescription") {
		out[comment{types.OID(r[0].I), types.OID(r[1].I), 0}] = r[2].Text()
	}
	return out
})

// comments are those that people made on the objects of this database and on those that all share.
func (s *Snapshot) comments() map[comment]string {
	s.commentsOnce.Do(func() {
		s.commentMap = map[comment]string{}
		for _, c := range s.said {
			if class, ok := s.classOf(c.OID); ok {
				s.commentMap[comment{c.OID, class, int32(c.Column)}] = c.Text
			}
		}
	})
	return s.commentMap
}

// classOf is the system table that has an object of a number. It is the first one where several have it: numbers of what
// people make are never the same.
func (s *Snapshot) classOf(o types.OID) (types.OID, bool) {
	if _, ok := s.relations[o]; ok {
		return classRelation, true
	}
	for _, schema := range s.schemas {
		if schema.OID == o {
			return classNamespace, true
		}
	}
	for _, t := range s.userTypes() {
		if t.oid == o {
			return classType, true
		}
	}
	if _, _, ok := s.findConstraint(o); ok {
		return classConstraint, true
	}
	if s.userFunction(o) != nil {
		return classProc, true
	}
	for _, db := range s.all.Databases {
		if db.OID == o {
			return classDatabase, true
		}
	}
	for _, r := range s.roles() {
		if r.OID == o {
			return classAuthID, true
		}
	}
	return 0, false
}

func descriptionRows(s *Snapshot) []row { return s.descriptions(false) }

func sharedDescriptionRows(s *Snapshot) []row { return s.descriptions(true) }

func (s *Snapshot) descriptions(shared bool) []row {
	said := s.comments()
	var rows []row
	add := func(k comment, c string) {
		if isShared := k.class == classDatabase || k.class == classAuthID; isShared != shared {
			return
		}
		r := row{oid(k.object), oid(k.class), num(int(k.part)), text(c)}
		if shared {
			r = row{r[0], r[1], r[3]}
		}
		rows = append(rows, r)
	}
	for k, c := range said {
		add(k, c)
	}
	for k, c := range builtinComments() {
		if _, ok := said[k]; !ok {
			add(k, c)
		}
	}
	return rows
}
