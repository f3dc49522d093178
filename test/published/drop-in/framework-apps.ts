/** Modules that start an application of one framework, as its users write it. */

/** @param imports of more packages. @param element a call of `e`. */
export const react = (imports: string, element: string): string => `import React from 'react'
  import { createRoot } from 'react-dom/client'
  ${imports}
  const e = React.createElement
  createRoot(document.getElementById('root')).render(${element})`

/** @param imports of more packages. @param component the name of the class that starts. @param classes in TypeScript’s or JavaScript’s words. */
export const angular = (imports: string, component: string, classes = ''): string => `import '@angular/compiler'
  import { Component, provideZonelessChangeDetection, signal } from '@angular/core'
  import { bootstrapApplication } from '@angular/platform-browser'
  ${imports}
  ${classes}
  void bootstrapApplication(${component}, { providers: [provideZonelessChangeDetection()] })`

/** A class with Angular's decorator. @param component what is in it. @param members of the class. */
export const angularRoot = (component: string, members: string): string => `class Undecorated { ${members} }
  const Root = Component({ selector: '#root', ${component} })(Undecorated) ?? Undecorated`
