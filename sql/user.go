package sql

import (
	"context"
	"errors"
	"math"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/scram"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// The roles of a session: the one that authenticated; the session user, which SET SESSION AUTHORIZATION changes; and the current
// user, which SET ROLE changes and whose privileges count. The last two are settings, so that they come and go with transactions.

// noRole is the value of setting role for none.
const noRole = "none"

// userSettings are the settings that say who the session acts for.
const (
	roleSetting    = "role"
	sessionSetting = "session_authorization"
)

// withView calls f with the transaction's view of the catalog or, when no statement runs, with one of its own.
func (s *Session) withView(f func(ctx context.Context, view *catalog.View) error) error {
	if s.work.running != nil {
		view, err := s.needView()
		if err != nil {
			return err
		}
		return f(s.work.running, view)
	}
	return s.engine.read(func(ctx context.Context, view *catalog.View) error { return f(ctx, view) })
}

// read calls f with a view of a transaction that only reads.
func (e *Engine) read(f func(ctx context.Context, view *catalog.View) error) error {
	ctx := context.Background()
	txn, err := e.options.KV.Begin(kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return mapError(ctx, err)
	}
	defer txn.Rollback()
	return f(ctx, e.catalog.View(txn))
}

// sessionUser is the role that SET ROLE is judged by.
func (s *Session) sessionUser() string { return s.value(sessionSetting) }

// setUser checks a change of setting role or session_authorization and notes the role's number.
func (s *Session) setUser(key, name string) error {
	if key == roleSetting && name == noRole {
		return nil
	}
	return s.withView(func(ctx context.Context, view *catalog.View) error {
		r, err := view.Role(ctx, name)
		if errors.Is(err, catalog.ErrNotFound) {
			return sqlerr.New(sqlerr.InvalidParameterValue, "role \"%s\" does not exist", name)
		}
		if err != nil {
			return err
		}
		if key == roleSetting {
			who, err := view.ActingAs(ctx, s.roles[s.sessionUser()])
			if err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return err
			}
			if err != nil || !who.Is(r.OID) {
				return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set role \"%s\"", name)
			}
		} else if r.OID != s.authenticated.OID {
			auth, err := view.RoleByOID(ctx, s.authenticated.OID)
			if err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return err
			}
			if err != nil || !auth.Superuser {
				return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set session authorization")
			}
		}
		s.noteRole(r)
		return nil
	})
}

// knownRole is what a session remembers of a role that it acts or acted for.
func (s *Session) noteRole(r *catalog.Role) {
	if s.roles == nil {
		s.roles, s.superusers = map[string]types.OID{}, map[string]bool{}
	}
	s.roles[r.Name], s.superusers[r.Name] = r.OID, r.Superuser
}

// storeUser puts a checked role in place.
func (s *Session) storeUser(st *setting, key, name string, local bool) {
	old := s.settings.current
	change := func(v vars) vars {
		v = v.with(key, name)
		if key == sessionSetting {
			v = v.with(roleSetting, noRole)
		}
		user := v[roleSetting]
		if user == noRole || user == "" {
			user = v[sessionSetting]
		}
		return v.with("is_superuser", onOff(s.superusers[user]))
	}
	s.settings.current = change(old)
	if !local {
		s.settings.session = change(s.settings.session)
	}
	s.varsChanged(old)
}

// deriveUser finds who the session acts for by its settings.
func (s *Session) deriveUser() {
	s.derived.user = s.value(roleSetting)
	if s.derived.user == noRole {
		s.derived.user = s.sessionUser()
	}
	s.derived.userOID = s.roles[s.derived.user]
	if s.derived.userOID == 0 {
		s.derived.userOID = math.MaxUint32 // nobody
	}
}

// superuserNow reports whether the session acts for a superuser as of now.
func (s *Session) superuserNow(ctx context.Context) (bool, error) {
	view, err := s.needView()
	if err != nil {
		return false, err
	}
	who, err := view.Acting(ctx)
	if errors.Is(err, catalog.ErrNotFound) {
		return false, nil
	}
	return err == nil && who.Role.Superuser, err
}

// mustBeSuperuser refuses others, with a message.
func (s *Session) mustBeSuperuser(ctx context.Context, message string) error {
	super, err := s.superuserNow(ctx)
	if err == nil && !super {
		err = sqlerr.New(sqlerr.InsufficientPrivilege, "%s", message)
	}
	return err
}

// checkNames looks for the session's role and finds its database.
func (s *Session) checkNames() error {
	return s.engine.read(func(ctx context.Context, view *catalog.View) error {
		role, err := view.Role(ctx, s.opts.User)
		switch {
		case errors.Is(err, catalog.ErrNotFound):
			return sqlerr.Fatal(sqlerr.InvalidAuthorizationSpecification, "role \"%s\" does not exist", s.opts.User)
		case err != nil:
			return mapError(ctx, err)
		case !role.Login:
			return sqlerr.Fatal(sqlerr.InvalidAuthorizationSpecification, "role \"%s\" is not permitted to log in", s.opts.User)
		}
		s.authenticated = role
		s.noteRole(role)
		s.database, err = view.Database(ctx, s.opts.Database)
		switch {
		case errors.Is(err, catalog.ErrNotFound):
			return sqlerr.Fatal(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", s.opts.Database)
		case err != nil:
			return mapError(ctx, err)
		case !s.database.AllowConns:
			return sqlerr.Fatal(sqlerr.ObjectNotInPrerequisite, "database \"%s\" is not currently accepting connections", s.opts.Database)
		}
		view.ActAs(role.OID, s.database.ID)
		who, err := view.Acting(ctx)
		if err != nil {
			return mapError(ctx, err)
		}
		if who.May(s.database.Granted(), catalog.Connect) == 0 {
			return sqlerr.Fatal(sqlerr.InsufficientPrivilege, "permission denied for database \"%s\"", s.opts.Database).
				WithDetail("User does not have CONNECT privilege.")
		}
		return nil
	})
}

// register makes the session one of the server's, unless that is too much for its role or database, or the database is going.
func (e *Engine) register(s *Session) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	gone := func() error {
		return sqlerr.Fatal(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", s.opts.Database).
			WithDetail("It seems to have just been dropped or renamed.")
	}
	if e.closing[s.database.ID] {
		return gone()
	}
	// The database was found before the session counted as one that uses it.
	if err := e.read(func(ctx context.Context, view *catalog.View) error {
		db, err := view.DatabaseByID(ctx, s.database.ID)
		if errors.Is(err, catalog.ErrNotFound) || err == nil && db.Name != s.database.Name {
			return gone()
		}
		return err
	}); err != nil {
		return err
	}
	var ofRole, ofDatabase int32
	for _, other := range e.sessions {
		if other.authenticated.OID == s.authenticated.OID {
			ofRole++
		}
		if other.database.ID == s.database.ID {
			ofDatabase++
		}
	}
	if !s.authenticated.Superuser {
		if n := s.database.ConnLimit; n != nil && ofDatabase >= *n {
			return sqlerr.Fatal(sqlerr.TooManyConnections, "too many connections for database \"%s\"", s.database.Name)
		}
		if n := s.authenticated.ConnLimit; n != nil && ofRole >= *n {
			return sqlerr.Fatal(sqlerr.TooManyConnections, "too many connections for role \"%s\"", s.authenticated.Name)
		}
	}
	e.sessions[s.pid] = s
	return nil
}

// storedSettings are what ALTER DATABASE … SET and ALTER ROLE … SET say of the session, the weakest first.
func (s *Session) storedSettings() []catalog.Setting {
	var ofRole, ofBoth []catalog.Setting
	for _, x := range s.authenticated.Settings {
		switch x.Database {
		case 0:
			ofRole = append(ofRole, x)
		case s.database.OID:
			ofBoth = append(ofBoth, x)
		}
	}
	out := append([]catalog.Setting(nil), s.database.Settings...)
	return append(append(out, ofRole...), ofBoth...)
}

// Verifier is what a role's password is checked by; "" if the role has none that is good now, or is not there.
func (e *Engine) Verifier(user string) (string, error) {
	verifier := ""
	err := e.read(func(ctx context.Context, view *catalog.View) error {
		r, err := view.Role(ctx, user)
		if errors.Is(err, catalog.ErrNotFound) {
			return nil
		}
		if err != nil {
			return mapError(ctx, err)
		}
		ended, err := e.isPast(r.ValidUntil)
		if err == nil && !ended {
			verifier = r.Password
		}
		return err
	})
	return verifier, err
}

// isPast reports whether a role's VALID UNTIL is over.
func (e *Engine) isPast(until string) (bool, error) {
	if until == "" {
		return false, nil
	}
	d, err := types.Input(types.NewContext(), types.TimestampTZ, []byte(until))
	return err == nil && d.I < types.TimestampFromTime(e.options.Now()), err
}

// HasPassword reports whether there is a role that can log in with a password.
func (e *Engine) HasPassword() (bool, error) {
	found := false
	err := e.read(func(ctx context.Context, view *catalog.View) error {
		roles, err := view.Roles(ctx)
		for _, r := range roles {
			found = found || r.Login && r.Password != ""
		}
		return err
	})
	return found, err
}

// SetSuperuserPassword gives the superuser that the first start made a password, or a verifier of one.
func (e *Engine) SetSuperuserPassword(ctx context.Context, password string) error {
	verifier := password
	if !scram.IsVerifier(password) {
		var err error
		if verifier, err = scram.NewVerifier(password); err != nil {
			return err
		}
	}
	txn, err := e.options.KV.Begin(kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	view := e.catalog.View(txn)
	if err := view.LockTable(ctx, catalog.RolesLock, kv.TableShareRowExclusive); err != nil {
		return err
	}
	old, err := view.RoleByOID(ctx, catalog.SuperuserOID)
	if err != nil {
		return err
	}
	r := old.Clone()
	r.Password = verifier
	if err := view.UpdateRole(ctx, old, r, nil); err != nil {
		return err
	}
	if err := txn.Commit(ctx); err != nil {
		return err
	}
	view.Committed()
	return nil
}
