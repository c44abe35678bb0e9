//! Migrations are part of the program: a new file among them means a new build.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
